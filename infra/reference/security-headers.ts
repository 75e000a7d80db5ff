/** Of the reference page: nothing from another host, no inline code, no frame. */
const contentSecurityPolicy = (apiOrigin: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${apiOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * The headers of every file of the site, in addition to `cacheControl` and, with HTTPS, `Strict-Transport-Security`.
 *
 * @param apiOrigin scheme, host and port of the API
 */
export const buildSecurityHeaders = (apiOrigin: string) =>
  ({
    'Content-Security-Policy': contentSecurityPolicy(apiOrigin),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
    // Pages of other origins may read the contract and the clients, none of which is secret.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  }) as const

/** With HTTPS: browsers use nothing else for this host for two years. */
export const strictTransportSecurity = { seconds: 63_072_000, includeSubdomains: true } as const

/** Clients ask each time whether a file has changed. The files are small, and those of two releases never mix for long. */
export const cacheControl = 'no-cache'
