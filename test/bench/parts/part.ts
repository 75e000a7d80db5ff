import type { Section } from '../report/section.ts'
import type { Workbench } from '../workbench.ts'

/** What a part of the benchmark has to work with. */
export interface PartContext {
  /** Opened when the first part asks for it. */
  readonly workbench: () => Promise<Workbench>
  /** How many fresh processes, or blocks of requests, each candidate gets. */
  readonly rounds: number
  /** The numbers of pets in the tables that are compared, in ascending order. */
  readonly sizes: readonly number[]
  readonly progress: (text: string) => void
}

export type Part = (context: PartContext) => Promise<readonly Section[]>
