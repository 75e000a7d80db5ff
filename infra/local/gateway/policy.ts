import { isObject } from '../template/json.ts'

export type Decision = 'allow' | 'deny' | 'malformed'

/**
 * What an authorizer's IAM policy says of one method ARN. "Output from an API Gateway Lambda
 * authorizer": an explicit Deny goes before any Allow, and what nothing allows is denied.
 */
export const evaluatePolicy = (policy: unknown, methodArn: string): Decision => {
  if (!isObject(policy)) return 'malformed'
  const statements = listOf(policy['Statement'])
  if (!statements.every(isStatement)) return 'malformed'
  const matching = statements.filter(
    (statement) =>
      listOf(statement.Action).some((action) => matches(action, 'execute-api:Invoke')) &&
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
  isTexts(value['Action']) &&
  isTexts(value['Resource'])

const isTexts = (value: unknown): boolean => {
  const texts = listOf(value)
  return texts.length > 0 && texts.every((text) => typeof text === 'string')
}

/** IAM takes one value where it takes a list. */
const listOf = <Item>(value: Item | readonly Item[]): readonly Item[] => {
  if (Array.isArray(value)) return value
  return value === undefined ? [] : [value as Item]
}

/** `*` stands for any characters, slashes and colons among them, and `?` for one. Actions have no case. */
const matches = (pattern: string, text: string): boolean => {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${expression}$`, 'is').test(text)
}
