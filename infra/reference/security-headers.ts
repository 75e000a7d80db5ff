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

/** How long a file may be kept: one whose name carries its content's hash for ever, another not unasked. */
export const cacheControl = {
  immutable: 'public, max-age=31536000, immutable',
  revalidated: 'no-cache',
} as const
