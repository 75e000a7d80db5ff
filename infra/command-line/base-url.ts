import { UsageError } from './usage-error.ts'

/**
 * Reads the base URL of an API to which a command sends an API key.
 *
 * @param option where it comes from
 * @returns it without a slash at its end
 * @throws UsageError for what is no such URL, and for one that would send the key unencrypted over a network
 */
export const readBaseUrl = (text: string, option = '--url'): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${option} takes the base URL of the API, such as https://api.example.com/v1.`)
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new UsageError(
      `${option} must begin with https://, because the API key is sent there; http:// is for this machine.`,
    )
  }
  return url.href.replace(/\/$/, '')
}

// WHATWG URL writes every form of an IPv4 address as four decimal numbers.
const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
