import { milliUnits, parseQuantity, wholeUnits } from "../../shared/api/quantity.ts";

/** Thousandths of a core, rounded up. @throws RangeError if it is not a quantity */
export const cpuMilli = (text: string) => milliUnits(parseQuantity(text));

/** Rounded up. @throws RangeError if it is not a quantity */
export const bytes = (text: string) => wholeUnits(parseQuantity(text));
