/**
 * Resources that store nothing: a create asks a question, and the answer is the object with its status filled in. Who
 * may do what (authorization.k8s.io), who am I and whose token is this (authentication.k8s.io).
 */
export { createLocalSubjectAccessReview, createSelfSubjectAccessReview, createSubjectAccessReview } from "./access.ts";
export { createSelfSubjectRulesReview } from "./rules.ts";
export { createSelfSubjectReview, createTokenReview } from "./user.ts";
