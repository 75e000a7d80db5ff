import { type APIGatewayClient, type ApiKey, paginateGetApiKeys } from '@aws-sdk/client-api-gateway'

/** As many as API Gateway gives at once. */
const pageSize = 500

/** How many API keys an account may have in a Region. AWS raises it for nobody. */
export const mostGatewayKeys = 10_000

/** API Gateway's own ids of the keys that have exactly this name. */
export const findGatewayKeys = async (client: APIGatewayClient, name: string): Promise<string[]> => {
  const ids: string[] = []
  // A query finds every name that begins so.
  for await (const key of gatewayKeys(client, name)) if (key.name === name && key.id !== undefined) ids.push(key.id)
  return ids
}

/** How many API keys the account has in the Region, of whatever API. */
export const countGatewayKeys = async (client: APIGatewayClient): Promise<number> => {
  let count = 0
  for await (const _key of gatewayKeys(client)) count += 1
  return count
}

async function* gatewayKeys(client: APIGatewayClient, nameQuery?: string): AsyncGenerator<ApiKey> {
  const query = { includeValues: false, ...(nameQuery === undefined ? {} : { nameQuery }) }
  for await (const { items = [] } of paginateGetApiKeys({ client, pageSize }, query)) yield* items
}
