import { setTimeout } from 'node:timers/promises'

/**
 * The base URL of an API, without a slash at its end.
 *
 * @throws Error for one that would send the API key unencrypted over a network
 */
export const readBaseUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // WHATWG URL writes every form of an IPv4 address as four decimal numbers.
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return url.href.replace(/\/$/, '')
  throw new Error(
    'PET_API_URL must be a base URL such as https://api.example.com/v1; http:// is for this machine, because the API key is sent there.',
  )
}

/**
 * Waits until the API responds to a key. API Gateway takes minutes until the reserved key of a new environment works.
 *
 * @throws Error after ten minutes
 */
export const untilItResponds = async (baseUrl: string, apiKey: string): Promise<void> => {
  const headers = { Authorization: `Bearer ${apiKey}` }
  for (let attempt = 1; attempt <= 120; attempt += 1) {
    const seen = await fetch(`${baseUrl}/pets?limit=1`, { headers }).catch((error: Error) => error.cause ?? error)
    if (seen instanceof Response && seen.ok) return
    const said = seen instanceof Response ? seen.status : seen
    console.error(`Waiting for ${baseUrl}, ten minutes at most. It responds: ${said}`)
    await setTimeout(5_000)
  }
  throw new Error(`After ten minutes ${baseUrl} still does not respond.`)
}
