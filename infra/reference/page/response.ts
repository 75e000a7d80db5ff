import type { PanelRequest } from './request.ts'

interface ReceivedResponse {
  readonly status: number
  readonly statusText: string
  readonly milliseconds: number
  readonly headers: Headers
  readonly text: string
}

/** A response to show, or a sentence that says why no response came. */
export type Outcome = ReceivedResponse | { readonly failure: string }

/** Seconds to wait for a response. API Gateway ends every request sooner. */
const timeoutSeconds = 30

/** Characters that `fetch` sends in the value of a header. */
const headerValuePattern = /^[\t\x20-\x7e\x80-\xff]*$/

// TypeScript's library does not declare `JSON.rawJSON` yet, and some browsers do not have it.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => unknown }

export const send = async ({ method, url, headers, body }: PanelRequest): Promise<Outcome> => {
  for (const [name, value] of headers) {
    if (!headerValuePattern.test(value)) {
      return { failure: `${name} has a character that browsers do not send in a header.` }
    }
  }

  const start = performance.now()
  try {
    const response = await fetch(url, {
      method,
      headers: [...headers],
      body: body ?? null,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutSeconds * 1_000),
    })
    const text = await response.text()
    return {
      status: response.status,
      statusText: response.statusText,
      milliseconds: Math.round(performance.now() - start),
      headers: response.headers,
      text,
    }
  } catch (error) {
    return { failure: describeFailure(error) }
  }
}

const describeFailure = (error: unknown): string => {
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
  if (isTimeout) return `No response came within ${timeoutSeconds} seconds.`
  return 'No response came: the connection could not be made, or it was lost.'
}

/**
 * Formats JSON with line breaks. Each number keeps its digits.
 *
 * @returns undefined if the text is not JSON
 */
export const formatJson = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text, keepDigits)
    // Without rawJSON the browser would round numbers.
    return rawJSON === undefined ? text : JSON.stringify(value, null, 2)
  } catch {
    return undefined
  }
}

/** Reviver of `JSON.parse`. Its third argument has the digits of a number, in browsers that pass one. */
const keepDigits = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  const digits = context?.source
  return typeof value === 'number' && digits !== undefined ? rawJSON?.(digits) : value
}

/**
 * Shows the time when the request can be sent again, and counts the seconds down.
 *
 * @returns a function that stops the countdown
 */
export const startCountdown = (element: HTMLElement, seconds: number): (() => void) => {
  const end = Date.now() + seconds * 1_000
  const show = (): void => {
    const remainingSeconds = Math.ceil((end - Date.now()) / 1_000)
    if (remainingSeconds <= 0) {
      element.textContent = 'You can try again now.'
      clearInterval(timer)
      return
    }
    const time = new Date(end).toLocaleTimeString()
    element.textContent = `Try again in ${remainingSeconds.toLocaleString()} s, at ${time}.`
  }
  const timer = setInterval(show, 1_000)
  show()
  return () => clearInterval(timer)
}
