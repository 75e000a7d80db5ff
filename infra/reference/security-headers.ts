/** The reference page's own: nothing from another host, no inline code, no frame. */
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
 * On every file of the site, besides those of its caching. `Strict-Transport-Security` comes on top
 * where there is HTTPS.
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
    // Tools of other origins may read the contract and the clients; nothing here is a secret.
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  }) as const

/** Where there is HTTPS: this host by nothing else for two years. */
export const strictTransportSecurity = { seconds: 63_072_000, includeSubdomains: true } as const

/** How long a file may be kept: one whose name carries its content's hash for ever, another not unasked. */
export const cacheControl = {
  immutable: 'public, max-age=31536000, immutable',
  revalidated: 'no-cache',
} as const
