/** Builds the policy of the reference page, which loads only its own files, calls only the API, and is in no frame. */
const buildContentSecurityPolicy = (apiOrigin: string): string =>
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
 * Builds the security headers of every file of the site. Files also have the header `Cache-Control`, and
 * `Strict-Transport-Security` if they are served by HTTPS.
 *
 * @param apiOrigin scheme, host and port of the API
 */
export const buildSecurityHeaders = (apiOrigin: string) =>
  ({
    'Content-Security-Policy': buildContentSecurityPolicy(apiOrigin),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
    // Pages of other origins may read the contract and the clients: neither is secret.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  }) as const

/** Value of `Strict-Transport-Security`: after a visit, browsers use only HTTPS for the host, for two years. */
export const strictTransportSecurity = { seconds: 63_072_000, includeSubdomains: true } as const

/**
 * Value of `Cache-Control`. Browsers ask each time whether a file has changed, so that files of two releases do not
 * mix. The files are small enough for that.
 */
export const cacheControl = 'no-cache'
