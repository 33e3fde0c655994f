/** Classes of load balancers (spec.loadBalancerClass) that ask for one of our two ways. */
export const POOL_CLASS = "hearth.dev/address-pool";
export const NODES_CLASS = "hearth.dev/node-addresses";
