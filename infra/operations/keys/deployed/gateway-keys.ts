import {
  type APIGatewayClient,
  type ApiKey,
  paginateGetApiKeys,
  paginateGetUsagePlanKeys,
} from '@aws-sdk/client-api-gateway'
import { UserError } from '../../../command-line/user-error.ts'

/** The maximum of API Gateway. */
const pageSize = 500

/** How many API keys an account can have in a Region. AWS does not raise this limit. */
const maximumGatewayKeys = 10_000

/** API Gateway's own ids of the keys that have exactly this name, and this value if one is given. */
export const findGatewayKeys = async (client: APIGatewayClient, name: string, value?: string): Promise<string[]> => {
  const ids: string[] = []
  // The query finds every name that begins with this one.
  for await (const key of gatewayKeys(client, { nameQuery: name, includeValues: value !== undefined })) {
    const isSame = key.name === name && (value === undefined || key.value === value)
    if (isSame && key.id !== undefined) ids.push(key.id)
  }
  return ids
}

/** All API keys of the account in the Region, for all its APIs, with their values. */
export const listGatewayKeys = (client: APIGatewayClient): AsyncGenerator<ApiKey> =>
  gatewayKeys(client, { includeValues: true })

/** API Gateway's own ids of the keys in a usage plan. */
export const listPlanKeys = async (client: APIGatewayClient, usagePlanId: string): Promise<Set<string>> => {
  const ids = new Set<string>()
  for await (const { items = [] } of paginateGetUsagePlanKeys({ client, pageSize }, { usagePlanId })) {
    for (const { id } of items) if (id !== undefined) ids.add(id)
  }
  return ids
}

/** How many API keys the account has in the Region, for all its APIs. */
export const countGatewayKeys = async (client: APIGatewayClient): Promise<number> => {
  let count = 0
  for await (const _key of gatewayKeys(client, { includeValues: false })) count += 1
  return count
}

async function* gatewayKeys(
  client: APIGatewayClient,
  query: { readonly includeValues: boolean; readonly nameQuery?: string },
): AsyncGenerator<ApiKey> {
  for await (const { items = [] } of paginateGetApiKeys({ client, pageSize }, query)) yield* items
}

const warnFrom = 9_000

/**
 * Checks, before a key is made, how near the account is to its maximum of API keys in a Region.
 *
 * @returns a warning for the operator, when there is one
 * @throws UserError when there is no room for a key
 */
export const checkAccountLimit = async (client: APIGatewayClient): Promise<string | undefined> => {
  const count = await countGatewayKeys(client)
  if (count >= maximumGatewayKeys) {
    throw new UserError(
      `This account has ${count} API keys in this Region, and API Gateway takes no more than ${maximumGatewayKeys}. Revoke keys that are not used any more.`,
    )
  }
  return count < warnFrom
    ? undefined
    : `Warning: this account has ${count} of the ${maximumGatewayKeys} API keys that API Gateway takes in a Region. AWS does not raise this limit; revoke keys that are not used any more.`
}
