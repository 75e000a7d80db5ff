import { type LocalProxy, readHeader, startProxy } from '../../fixtures/machine/proxy.ts'

/**
 * Opens an address for one REST API of the emulator, as API Gateway gives an API a host name of its own. The front
 * forwards each request in a form in which the emulator does what API Gateway does:
 *
 * - The emulator decodes a path before it routes. API Gateway routes by the path as it was sent. So the front encodes
 *   the path once more.
 * - The emulator takes the API key of the usage plan from the header `x-api-key`, although the REST API says
 *   `apiKeySource: AUTHORIZER`. So the front sends the `usageIdentifierKey` in that header.
 *
 * @param findUsageIdentifierKey finds the `usageIdentifierKey` that the authorizer returns for an API key
 */
export const openFront = (
  emulatorUrl: string,
  restApiId: string,
  findUsageIdentifierKey: (apiKey: string) => Promise<string>,
): Promise<LocalProxy> =>
  startProxy(emulatorUrl, async (request, forward) => {
    const headers = [...request.headers, 'X-Forwarded-Proto', 'http']
    const [, apiKey] = /^bearer +(\S+)$/i.exec(readHeader(request, 'authorization')) ?? []
    if (apiKey !== undefined) headers.push('x-api-key', await findUsageIdentifierKey(apiKey))

    const [, pathBelowStage = '', query = ''] = /^\/v1([^?]*)(.*)$/.exec(request.path) ?? []
    const encodedPath = pathBelowStage.replaceAll('%', '%25')
    const path = `/restapis/${restApiId}/v1/_user_request_${encodedPath}${query}`
    return forward({ ...request, path, headers })
  })
