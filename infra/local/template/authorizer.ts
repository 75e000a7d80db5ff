import { UserError } from '../../command-line/user-error.ts'
import { asNumber, asText, type JsonObject } from '../../synthesis/json.ts'
import { functionNameIn } from './physical-names.ts'

/** A REQUEST authorizer that API Gateway asks for every request. */
export interface Authorizer {
  readonly functionName: string
}

/**
 * @param properties with the intrinsic functions resolved.
 * @throws UserError for an authorizer whose decisions API Gateway would keep, or that it would not
 * ask at all without an identity source: the gateway here asks it for every request.
 */
export const readAuthorizer = (properties: JsonObject): Authorizer => {
  if (properties['Type'] !== 'REQUEST') throw new UserError('The local gateway knows REQUEST authorizers only.')
  if (properties['IdentitySource'] || asNumber(properties['AuthorizerResultTtlInSeconds'] ?? 300, 'the TTL') !== 0) {
    throw new UserError('The local gateway keeps no decisions: give the authorizer TTL 0 and no identity source.')
  }
  const functionName = functionNameIn(asText(properties['AuthorizerUri'], 'AuthorizerUri'))
  if (functionName === undefined) throw new UserError('The authorizer names no Lambda function.')
  return { functionName }
}
