import type { PetAdoptionClientOptions } from '../../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'

/** What a driver makes its client do, and what it reports of that. Both are plain JSON. */
export interface Job {
  readonly options: Omit<PetAdoptionClientOptions, 'sleep'>
  readonly calls: readonly Call[]
}

export type Call =
  | { readonly page: Query }
  /** `take` leaves the loop after so many pets. */
  | { readonly pets: Query; readonly take?: number }
  | { readonly create: NewPet; readonly idempotencyKey?: string }

export interface Query {
  readonly limit?: number
  readonly status?: 'available' | 'pending' | 'sold'
}

/** The category is in decimal digits: JSON has it exactly as a string only. */
export interface NewPet {
  readonly name: string
  readonly categoryId: string
}

export interface Report {
  /** One for each call. */
  readonly outcomes: readonly Outcome[]
  /** The seconds of each wait. The waits are not made. */
  readonly waits: readonly number[]
}

export type Outcome = { readonly pets: readonly (NewPet & { readonly id: number })[] } | { readonly error: Failure }

/** What the API responded, or `lost`: no response came, or not in time; or `refused`: the client itself does not go on. */
export type Failure =
  | { readonly status: number; readonly code: string | null; readonly retryAfter: number | null }
  | 'lost'
  | 'refused'

export interface Driver {
  readonly language: string
  readonly isFound: boolean
  readonly drive: (job: Job) => Promise<Report>
  readonly stop: () => void
}
