/** A resource record of class IN; names are without the last dot. */
export type DnsRecord = { name: string; ttl: number } & RecordData;

export type RecordData =
  | { type: "A" | "AAAA" | "CNAME" | "NS" | "PTR" | "TXT"; data: string }
  | { type: "SRV"; data: { priority: number; weight: number; port: number; target: string } }
  | { type: "SOA"; data: Soa };

export interface Soa {
  mname: string;
  rname: string;
  serial: number;
  refresh: number;
  retry: number;
  expire: number;
  minimum: number;
}

/** RFC 1035 4.1.1, RFC 6891. */
export const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5, BADVERS: 16 } as const;
export type Rcode = keyof typeof RCODES;

/** What is asked: in lower case, without the last dot; the root is the empty name. */
export interface Question {
  name: string;
  /** `A`, `SRV`, … or `UNKNOWN_<number>`. */
  type: string;
}

/** What is answered of our own knowledge. */
export interface Reply {
  rcode: Rcode;
  isAuthoritative: boolean;
  answers: DnsRecord[];
  authorities: DnsRecord[];
  additionals: DnsRecord[];
}

export const failure = (rcode: Rcode): Reply => ({
  rcode,
  isAuthoritative: false,
  answers: [],
  authorities: [],
  additionals: [],
});

/** Whether a name is a zone or in it; everything is in the root. Both in lower case. */
export const isInZone = (name: string, zone: string): boolean =>
  zone === "" || name === zone || name.endsWith(`.${zone}`);
