import type { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import { UserError } from '../../../command-line/user-error.ts'
import { countGatewayKeys, mostGatewayKeys } from './gateway-keys.ts'

const warnFrom = 9_000

/**
 * Looks, before a key is made, how near the account is to the most API keys that it can have in a Region.
 *
 * @returns a warning for the operator, when there is one
 * @throws UserError when there is no room for a key
 */
export const checkAccountLimit = async (client: APIGatewayClient): Promise<string | undefined> => {
  const count = await countGatewayKeys(client)
  if (count >= mostGatewayKeys) {
    throw new UserError(
      `This account has ${count} API keys in this Region, and API Gateway takes no more than ${mostGatewayKeys}. Revoke keys that are not used any more.`,
    )
  }
  return count < warnFrom
    ? undefined
    : `Warning: this account has ${count} of the ${mostGatewayKeys} API keys that API Gateway takes in a Region. AWS does not raise this limit; revoke keys that are not used any more.`
}
