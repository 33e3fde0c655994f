import { CelError, type CelValue, type Spend } from "../values.ts";

/** Given its values, the target of a method first. Undefined: not for these types. */
export type CelFunction = (args: CelValue[], spend: Spend) => CelValue | undefined;

export type FunctionTable = Record<string, CelFunction>;

export const isText = (value: CelValue | undefined): value is string => typeof value === "string";

/** A method of a text that takes another one. */
export const ofTexts =
  (method: (text: string, other: string) => CelValue): CelFunction =>
  ([text, other], spend) => {
    if (!isText(text) || !isText(other)) return undefined;
    spend((text.length + other.length) / 10);
    return method(text, other);
  };

export const ofText =
  (method: (text: string) => CelValue): CelFunction =>
  ([text], spend) => {
    if (!isText(text)) return undefined;
    spend(text.length / 10);
    return method(text);
  };

/** Whether a text can be read as something. */
export const canParse = (parse: (text: string) => unknown) =>
  ofText((text) => {
    try {
      parse(text);
      return true;
    } catch (error) {
      if (error instanceof CelError) return false;
      throw error;
    }
  });
