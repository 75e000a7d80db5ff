import {
  type APIGatewayClient,
  type ApiKey,
  paginateGetApiKeys,
  paginateGetUsagePlanKeys,
} from '@aws-sdk/client-api-gateway'

/** As many as API Gateway gives at once. */
const pageSize = 500

/** How many API keys an account may have in a Region. AWS raises it for nobody. */
export const mostGatewayKeys = 10_000

/** API Gateway's own ids of the keys that have exactly this name, and where it is given this value. */
export const findGatewayKeys = async (client: APIGatewayClient, name: string, value?: string): Promise<string[]> => {
  const ids: string[] = []
  // A query finds every name that begins so.
  for await (const key of gatewayKeys(client, { nameQuery: name, includeValues: value !== undefined })) {
    const isSame = key.name === name && (value === undefined || key.value === value)
    if (isSame && key.id !== undefined) ids.push(key.id)
  }
  return ids
}

/** All API keys of the account in the Region, of whatever API, with their values. */
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

/** How many API keys the account has in the Region, of whatever API. */
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
