import { type LocalProxy, readHeader, startProxy } from '../../fixtures/proxy.ts'

/**
 * The address of one REST API of the emulator, which API Gateway would give it by a host name of its own. It forwards
 * each request to the address by which the emulator knows the API, in the form that makes it do what API Gateway does:
 *
 * - The emulator decodes a path before it routes; API Gateway leaves it as sent. So the path is encoded once more.
 * - The emulator takes the API key of the usage plan from the header x-api-key, although the REST API says
 *   `apiKeySource: AUTHORIZER`. So the `usageIdentifierKey` is in that header.
 *
 * @param usageIdentifierKey what the authorizer returns for an API key
 */
export const openFront = (
  emulator: string,
  restApiId: string,
  usageIdentifierKey: (apiKey: string) => Promise<string>,
): Promise<LocalProxy> =>
  startProxy(emulator, async (request, forward) => {
    const apiKey = /^bearer +(\S+)$/i.exec(readHeader(request, 'authorization'))?.[1]
    const gatewayKey = apiKey === undefined ? [] : ['x-api-key', await usageIdentifierKey(apiKey)]
    const [, below = '', query = ''] = /^\/v1([^?]*)(.*)$/.exec(request.path) ?? []
    return forward({
      ...request,
      path: `/restapis/${restApiId}/v1/_user_request_${below.replaceAll('%', '%25')}${query}`,
      headers: [...request.headers, 'X-Forwarded-Proto', 'http', ...gatewayKey],
    })
  })
