/** What a driver makes its client do, and what it reports of that. Both are plain JSON. */
export interface Job {
  readonly options: ClientOptions
  readonly calls: readonly Call[]
  /** Ends each request that would wait, by an exception of `onWait`. */
  readonly stopsAtWait?: boolean
}

export interface ClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly attempts?: number
  readonly longestWaitSeconds?: number
  readonly timeoutSeconds?: number
}

export type Call =
  | { readonly page: PetFilter }
  /** `take` leaves the loop after so many pets. */
  | { readonly pets: PetFilter; readonly take?: number }
  | { readonly create: NewPet; readonly idempotencyKey?: string }

export interface PetFilter {
  readonly limit?: number
  readonly status?: PetStatus
  readonly cursor?: string
}

type PetStatus = 'available' | 'pending' | 'sold'

/** The category is in decimal digits: JSON has it exactly as a string only. */
export interface NewPet {
  readonly name: string
  readonly categoryId: string
  readonly status?: PetStatus
}

export interface Pet extends NewPet {
  readonly id: number
}

export interface Report {
  /** One for each call. */
  readonly outcomes: readonly Outcome[]
  /** What `onWait` was told. The waits are not made. */
  readonly waits: readonly Wait[]
}

export interface Wait {
  readonly seconds: number
  readonly attempt: number
  /** `null` when the response was lost. */
  readonly status: number | null
}

export type Outcome = Pets | { readonly error: Failure }

export interface Pets {
  readonly pets: readonly Pet[]
  /** Of a page. */
  readonly nextCursor?: string | null
  readonly limits?: { readonly limit: number; readonly remaining: number; readonly reset: number } | null
}

export type Failure =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly code: string | null
      readonly message: string
      readonly retryAfter: number | null
    }
  | { readonly kind: 'lost' }
  | { readonly kind: 'time-out' }
  /** The client itself refuses to go on. */
  | { readonly kind: 'refused'; readonly message: string }

export interface Driver {
  readonly language: string
  readonly isFound: boolean
  readonly drive: (job: Job) => Promise<Report>
  readonly stop: () => void
}
