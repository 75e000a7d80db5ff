import type { IncomingMessage } from 'node:http'
import type { IssuedKey } from '../../../../../../infra/operations/keys/new-key.ts'
import type { LocalApi } from '../../../local/local-api.ts'
import type { Call, ClientOptions, Report } from '../drivers/job.ts'
import type { Fate } from '../relay.ts'

/** What a server does, what a client is asked to do, and what it must do. Every client is held to it. */
export interface Case {
  readonly title: string
  readonly options?: Partial<ClientOptions>
  readonly stopsAtWait?: boolean
  /** How many requests the key may make. @default enough */
  readonly perDay?: number
  readonly calls: readonly Call[]
  /** What happens to each request. The last one happens to all that follow, too. */
  readonly server: (stage: Stage) => readonly Fate[]
  /** One for each call, which it must match. */
  readonly outcomes?: readonly unknown[]
  /** How many requests the server sees, or each by its method and path. */
  readonly requests?: number | readonly string[]
  /** What each wait between two attempts is based on: the seconds of `Retry-After`, or 0. @default no wait */
  readonly waits?: readonly number[] | ((run: Run) => readonly number[])
  readonly also?: (run: Run) => void
}

export interface Stage {
  readonly api: LocalApi
  /** The API key of the client. */
  readonly issued: IssuedKey
  /** The server's origin, without the scheme. */
  readonly own: string
  /** A server that no client may connect to, as host and port. */
  readonly other: string
}

export interface Run extends Report {
  readonly seen: readonly IncomingMessage[]
  readonly answered: readonly IncomingMessage[]
}

export const silence: Fate = () => undefined

export const stalledBody: Fate = (response) => {
  response.writeHead(200, { 'Content-Length': '100' }).write('[')
  return undefined
}

export const emptyPage = { status: 200, body: [] } as const

export const pageWithLink = (link: string | readonly string[]) => ({ status: 200, headers: { Link: link }, body: [] })

export const created = {
  status: 201,
  body: { id: 1, name: 'Bella', categoryId: 1, status: 'available' },
} as const

export const refusal = (status: number, code: string, retryAfter?: string) => ({
  status,
  headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
  body: { code, message: 'Later.', status },
})

export const failed = (status: number, code: string | null, retryAfter: number | null = null) => ({
  error: { kind: 'response', status, code, retryAfter },
})
