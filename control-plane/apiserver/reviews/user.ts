import { badRequest } from "../../../shared/api/status.ts";
import { printTime } from "../../../shared/api/timestamp.ts";
import { valueAnswer } from "../answer.ts";
import type { UserInfo } from "../attributes.ts";
import { ISSUER, reviewToken } from "../authn/index.ts";
import { type Handler, typeMetaOf } from "../resource-request.ts";
import { answerReview, readReview } from "./review.ts";

const userInfoOf = ({ username, uid, groups, extra }: UserInfo) => ({
  username,
  ...(uid ? { uid } : {}),
  ...(groups.length > 0 ? { groups } : {}),
  ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
});

/** Who am I? (`kubectl auth whoami`) */
export const createSelfSubjectReview: Handler = async (request) => {
  await readReview(request);
  return valueAnswer(
    201,
    {
      ...typeMetaOf(request.facts),
      metadata: { creationTimestamp: printTime(Date.now()) },
      status: { userInfo: userInfoOf(request.context.user) },
    },
    request.output,
  );
};

/** Whose token is this? */
export const createTokenReview: Handler = async (request) => {
  const review = await readReview<{ token?: string; audiences?: string[] }>(request);
  const { token = "", audiences = [] } = review.spec ?? {};
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const { env, cluster } = request.context;
  const verdict = await reviewToken(env, cluster, token, audiences);
  if ("error" in verdict) return answerReview(request, review, { user: {}, error: verdict.error });
  return answerReview(request, review, {
    authenticated: true,
    user: userInfoOf(verdict.user),
    audiences: verdict.audiences.length > 0 ? verdict.audiences : [ISSUER],
  });
};
