import { setTimeout } from 'node:timers/promises'

const maximumAttempts = 120
const pauseMilliseconds = 5_000

/**
 * Reads the base URL of an API. The result has no slash at its end.
 *
 * @throws Error for a URL that would send the API key unencrypted over a network
 */
export const readBaseUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // WHATWG URL writes every form of an IPv4 address as four decimal numbers.
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return url.href.replace(/\/$/, '')
  throw new Error(
    'PET_API_URL must be a base URL such as https://api.example.com/v1; ' +
      'http:// is allowed only for this machine, because the API key would be sent unencrypted.',
  )
}

/**
 * Waits until the API responds to a key. API Gateway takes minutes until the unlimited gateway key of a new environment
 * works.
 *
 * @throws Error after ten minutes
 */
export const waitForApi = async (baseUrl: string, apiKey: string): Promise<void> => {
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    const problem = await findProblem(baseUrl, apiKey)
    if (problem === undefined) return
    console.error(`Waiting for ${baseUrl}, ten minutes at most. It responds: ${problem}`)
    await setTimeout(pauseMilliseconds)
  }
  throw new Error(`After ten minutes ${baseUrl} still does not respond.`)
}

/** Requests a list. @returns the status or the error that is wrong, or `undefined` if the API responds */
const findProblem = async (baseUrl: string, apiKey: string): Promise<unknown> => {
  try {
    const response = await fetch(`${baseUrl}/pets?limit=1`, { headers: { Authorization: `Bearer ${apiKey}` } })
    return response.ok ? undefined : response.status
  } catch (error) {
    // fetch throws a TypeError whose cause says what has failed.
    return error instanceof Error ? (error.cause ?? error) : error
  }
}
