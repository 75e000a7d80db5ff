/** Of the reference page: nothing from another host, no inline code, no frame. */
export const contentSecurityPolicy = (apiOrigin: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${apiOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * The headers of every file of the site, in addition to those of its caching and, with HTTPS,
 * `Strict-Transport-Security`.
 *
 * @param apiOrigin scheme, host and port of the API
 */
export const securityHeaders = (apiOrigin: string) =>
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

/** How long clients may cache a file: one named by its content without a limit, any other only after a check. */
export const cacheControl = {
  immutable: 'public, max-age=31536000, immutable',
  revalidated: 'no-cache',
} as const
