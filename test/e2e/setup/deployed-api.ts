import { setTimeout as sleep } from 'node:timers/promises'

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

const waitSeconds = 600
const pauseSeconds = 5
const requestSeconds = 35

interface Waiting {
  readonly pause?: () => Promise<unknown>
  readonly now?: () => number
}

/**
 * Waits until the API responds to a key. API Gateway takes minutes until the reserved key of a new environment works.
 *
 * @throws Error after ten minutes
 */
export const untilItResponds = async (
  baseUrl: string,
  apiKey: string,
  { pause = () => sleep(pauseSeconds * 1_000), now = () => performance.now() }: Waiting = {},
): Promise<void> => {
  const end = now() + waitSeconds * 1_000
  let told: string | undefined
  for (;;) {
    const answer = await fetch(`${baseUrl}/pets?limit=1`, {
      headers: { Authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(requestSeconds * 1_000),
    }).then(
      ({ status }) => `${status}`,
      (error: unknown) => (error instanceof Error ? String(error.cause ?? error) : 'nothing'),
    )
    if (answer === '200') return
    if (now() > end) throw new Error(`After ten minutes ${baseUrl} still responds ${answer}.`)
    if (answer !== told) console.error(`Waiting for ${baseUrl}, ten minutes at most. It responds ${answer}.`)
    told = answer
    await pause()
  }
}
