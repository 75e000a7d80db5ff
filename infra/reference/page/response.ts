import type { PanelRequest } from './request.ts'

/** A response to show, or why there is none. */
export type Outcome =
  | {
      readonly status: number
      readonly statusText: string
      readonly milliseconds: number
      readonly headers: Headers
      readonly text: string
    }
  | { readonly failure: string }

/** API Gateway ends every request sooner. */
const longestSeconds = 30

export const send = async ({ method, url, headers, body }: PanelRequest): Promise<Outcome> => {
  const unsendable = headers.find(([, value]) => !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
  if (unsendable !== undefined)
    return { failure: `${unsendable[0]} has a character that browsers do not send in a header.` }
  const started = performance.now()
  try {
    const response = await fetch(url, {
      method,
      headers: [...headers],
      body: body ?? null,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(longestSeconds * 1_000),
    })
    const text = await response.text()
    const { status, statusText } = response
    return {
      status,
      statusText,
      milliseconds: Math.round(performance.now() - started),
      headers: response.headers,
      text,
    }
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    return {
      failure: isLate
        ? `No response came within ${longestSeconds} seconds.`
        : 'No response came: the connection could not be made, or it was lost.',
    }
  }
}

// TypeScript's library does not describe it yet.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => unknown }

/** JSON with line breaks, each number to the letter as it came; `undefined` where the text is no JSON. */
export const layOut = (text: string): string | undefined => {
  const exact = (_key: string, value: unknown, { source }: { readonly source?: string }) =>
    typeof value === 'number' && source !== undefined ? rawJSON?.(source) : value
  try {
    const value: unknown = JSON.parse(text, exact as Parameters<typeof JSON.parse>[1])
    // A browser without it would round.
    return rawJSON === undefined ? text : JSON.stringify(value, null, 2)
  } catch {
    return undefined
  }
}

/**
 * Shows when to try again, each second, until it is time.
 *
 * @returns a function that ends it
 */
export const countDown = (place: HTMLElement, seconds: number): (() => void) => {
  const end = Date.now() + seconds * 1_000
  const show = () => {
    const remaining = Math.ceil((end - Date.now()) / 1_000)
    place.textContent =
      remaining > 0
        ? `Try again in ${remaining.toLocaleString()} s, at ${new Date(end).toLocaleTimeString()}.`
        : 'You can try again now.'
    if (remaining <= 0) clearInterval(timer)
  }
  const timer = setInterval(show, 1_000)
  show()
  return () => clearInterval(timer)
}
