/** What a driver makes its client do, and what it reports of that. Both are plain JSON. */
export interface Job {
  readonly options: ClientOptions
  readonly calls: readonly Call[]
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
  | { readonly pets: PetFilter }
  | { readonly create: NewPet; readonly idempotencyKey?: string }

export interface PetFilter {
  readonly limit?: number
  readonly status?: PetStatus
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
  /** The waits between attempts in seconds. They are not made. */
  readonly waits: readonly number[]
}

export type Outcome = { readonly pets: readonly Pet[] } | { readonly error: Failure }

export type Failure =
  | { readonly kind: 'response'; readonly status: number; readonly code: string | null; readonly message: string }
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
