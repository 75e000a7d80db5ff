import { isObject } from '../../synthesis/json.ts'
import { matches, type Wildcard, wildcard } from './wildcard.ts'

type Decision = 'allow' | 'deny' | 'malformed'

/** "Output from an API Gateway Lambda authorizer": no ARN in a policy's Resource is longer, in characters. */
const longestResource = 512

/**
 * What an authorizer's IAM policy says of one method ARN. "Output from an API Gateway Lambda
 * authorizer": an explicit Deny goes before any Allow, and what nothing allows is denied.
 */
export const evaluatePolicy = (policy: unknown, methodArn: string): Decision => {
  if (!isObject(policy)) return 'malformed'
  const statements = listOf(policy['Statement'])
  if (!statements.every(isStatement)) return 'malformed'
  const readResource = policy['Version'] === versionWithVariables ? withVariables : wildcard
  const matching = statements.filter(
    (statement) =>
      // Actions have no case; resources have.
      listOf(statement.Action).some((action) => matches(wildcard(action.toLowerCase()), 'execute-api:invoke')) &&
      listOf(statement.Resource).some((resource) => {
        const pattern = readResource(resource)
        return pattern !== undefined && matches(pattern, methodArn)
      }),
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
  isTexts(value['Action'], Number.POSITIVE_INFINITY) &&
  isTexts(value['Resource'], longestResource)

const isTexts = (value: unknown, longest: number): boolean => {
  const texts = listOf(value)
  return texts.length > 0 && texts.every((text) => typeof text === 'string' && text.length <= longest)
}

/** IAM takes one value where it takes a list. */
const listOf = <Item>(value: Item | readonly Item[]): readonly Item[] => {
  if (Array.isArray(value)) return value
  return value === undefined ? [] : [value as Item]
}

/** In policies of any other version `${` stands for itself, as "IAM JSON policy elements: Version" has it. */
const versionWithVariables = '2012-10-17'

/**
 * "IAM policy elements: Variables and tags": `${*}`, `${?}` and `${$}` stand for the character itself.
 *
 * @returns undefined for any other variable: none has a value here, so the resource matches nothing
 */
const withVariables = (resource: string): Wildcard | undefined => {
  // Odd parts are what stands in the braces.
  const parts = resource.split(/\$\{([^}]*)\}/)
  if (parts.some((part, index) => index % 2 === 1 && !['*', '?', '$'].includes(part))) return undefined
  return parts.flatMap((part, index) => (index % 2 === 1 ? [part] : wildcard(part)))
}
