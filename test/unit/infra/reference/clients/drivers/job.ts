import type {
  Limits,
  NewPet,
  PetAdoptionClientOptions,
  PetQuery,
  Pet as ReceivedPet,
  Wait as ToldWait,
} from '../../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'

/** What a driver makes its client do, and what it reports of that. Both are plain JSON. */
export interface Job {
  readonly options: ClientOptions
  readonly calls: readonly Call[]
  /** Ends each request that would wait, by an exception of `onWait`. */
  readonly stopsAtWait?: boolean
}

export type ClientOptions = Omit<PetAdoptionClientOptions, 'onWait' | 'sleep'>

export type Call =
  | { readonly page: PetQuery }
  /** `take` leaves the loop after so many pets. */
  | { readonly pets: PetQuery; readonly take?: number }
  | { readonly create: WithDigits<NewPet>; readonly idempotencyKey?: string }

/** The category is in decimal digits: JSON has it exactly as a string only. */
type WithDigits<Sent> = Omit<Sent, 'categoryId'> & { readonly categoryId: string }

export type Pet = WithDigits<ReceivedPet>

export interface Report {
  /** One for each call. */
  readonly outcomes: readonly Outcome[]
  /** What `onWait` was told. The waits are not made. */
  readonly waits: readonly Wait[]
}

/** The status is `null` when the response was lost. */
export type Wait = Omit<ToldWait, 'status'> & { readonly status: number | null }

export type Outcome = Pets | { readonly error: Failure }

export interface Pets {
  readonly pets: readonly Pet[]
  /** Of a page. */
  readonly nextCursor?: string | null
  readonly limits?: Limits | null
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
