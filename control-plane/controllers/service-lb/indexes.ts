/** Of Services: those that have or want a load balancer, under the empty text. */
export const BALANCED = "balanced";
/** Of EndpointSlices: by the key of their Service. */
export const SLICES_OF = "any slice's service";
