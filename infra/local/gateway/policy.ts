import { isObject } from '../../synthesis/json.ts'

type Decision = 'allow' | 'deny' | 'invalid'

/** "Output from an API Gateway Lambda authorizer": the longest ARN in a policy's Resource, in characters. */
const maximumResourceLength = 512

/**
 * What an authorizer's IAM policy decides about one method ARN. "Output from an API Gateway Lambda
 * authorizer": an explicit Deny goes before any Allow, and what nothing allows is denied.
 *
 * @returns `invalid` also for what the local gateway does not support: another form than a list of statements with one
 * action and one resource, policy variables, and wildcards but for one `*` at the end of the resource
 */
export const evaluatePolicy = (policy: unknown, methodArn: string): Decision => {
  const statements = isObject(policy) ? policy['Statement'] : undefined
  if (!Array.isArray(statements) || !statements.every(isStatement)) return 'invalid'
  const matching = statements.filter(({ Resource }) =>
    Resource.endsWith('*') ? methodArn.startsWith(Resource.slice(0, -1)) : methodArn === Resource,
  )
  if (matching.some(({ Effect }) => Effect === 'Deny')) return 'deny'
  return matching.length > 0 ? 'allow' : 'deny'
}

interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Resource: string
}

const isStatement = (value: unknown): value is Statement => {
  if (!isObject(value)) return false
  const { Effect, Action, Resource } = value
  return (
    (Effect === 'Allow' || Effect === 'Deny') &&
    Action === 'execute-api:Invoke' &&
    typeof Resource === 'string' &&
    Resource.length <= maximumResourceLength &&
    /^[^*?$]*\*?$/.test(Resource)
  )
}
