/**
 * How a value's text lies in the database. The one place through which every value passes on its way in and out, so
 * that encryption at rest of Secrets needs no other change. Synchronous, because values are written and read inside
 * one transaction.
 */
export interface ValueCodec {
  seal(text: string): string;
  open(sealed: string): string;
}

export const codec: ValueCodec = { seal: (text) => text, open: (sealed) => sealed };
