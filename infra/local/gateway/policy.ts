import { isObject } from '../../synthesis/json.ts'

type Decision = 'allow' | 'deny' | 'invalid'

/** "Output from an API Gateway Lambda authorizer": the longest ARN in a policy's Resource, in characters. */
const maximumResourceLength = 512

/**
 * What an authorizer's IAM policy decides about one method ARN. "Output from an API Gateway Lambda
 * authorizer": an explicit Deny goes before any Allow, and what nothing allows is denied.
 *
 * @returns `invalid` also for the wildcard `?` and for policy variables, which the local gateway does not support
 */
export const evaluatePolicy = (policy: unknown, methodArn: string): Decision => {
  if (!isObject(policy)) return 'invalid'
  const statements = listOf(policy['Statement'])
  if (!statements.every(isStatement)) return 'invalid'
  const matching = statements.filter(
    (statement) =>
      // Actions have no case; resources have.
      listOf(statement.Action).some((action) => matches(action.toLowerCase(), 'execute-api:invoke')) &&
      listOf(statement.Resource).some((resource) => matches(resource, methodArn)),
  )
  if (matching.some(({ Effect }) => Effect === 'Deny')) return 'deny'
  return matching.length > 0 ? 'allow' : 'deny'
}

interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Action: string | readonly string[]
  readonly Resource: string | readonly string[]
}

const isStatement = (value: unknown): value is Statement =>
  isObject(value) &&
  (value['Effect'] === 'Allow' || value['Effect'] === 'Deny') &&
  isPatterns(value['Action'], Number.POSITIVE_INFINITY) &&
  isPatterns(value['Resource'], maximumResourceLength)

const isPatterns = (value: unknown, maximumLength: number): boolean => {
  const patterns = listOf(value)
  return (
    patterns.length > 0 &&
    patterns.every(
      (pattern) => typeof pattern === 'string' && pattern.length <= maximumLength && !/\?|\$\{/.test(pattern),
    )
  )
}

/** IAM takes one value where it takes a list. */
const listOf = <Item>(value: Item | readonly Item[]): readonly Item[] => {
  if (Array.isArray(value)) return value
  return value === undefined ? [] : [value as Item]
}

/**
 * `*` stands for any characters, slashes and colons among them, and for none. Each part between two of them takes its
 * first place, so the time is bounded, where a regular expression may never end.
 */
const matches = (pattern: string, text: string): boolean => {
  const [start = '', ...parts] = pattern.split('*')
  const end = parts.pop()
  if (end === undefined) return text === pattern
  if (!text.startsWith(start)) return false
  let position = start.length
  for (const part of parts) {
    const found = text.indexOf(part, position)
    if (found < 0) return false
    position = found + part.length
  }
  return text.length - end.length >= position && text.endsWith(end)
}
