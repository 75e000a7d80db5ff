/** The targets of `npm run mutate`. */
import type { PartialStrykerOptions } from '@stryker-mutator/api/core'

interface MutationTarget {
  /** Patterns of the sources. */
  readonly sources: readonly string[]
  /** Patterns of the tests that run for each mutant. */
  readonly tests: readonly string[]
  /** Vitest's `globalSetup` of the tests. */
  readonly setup: readonly string[]
  /** Vitest's `setupFiles` of the tests, after that of all tests. */
  readonly setupFiles?: readonly string[]
  /**
   * Percentage of killed mutants below which the run fails. Only `service` was counted whole (survivors.md). For the
   * others 50 is a floor that nobody has measured: raise it to what the nightly run prints.
   */
  readonly leastKilled: number
  readonly options?: PartialStrykerOptions
}

const engines = ['test/fixtures/start-engines.ts']
const reference = ['test/fixtures/local-environment.ts', 'test/unit/infra/reference/start.ts']

/** Targets by the names that `npm run mutate` takes. */
export const targets = {
  service: {
    sources: ['{shared,functions}/**/*.ts', '!shared/contract/generated/**'],
    tests: ['test/unit/{shared,functions,infra/operations/keys}/**/*.test.ts'],
    setup: engines,
    leastKilled: 91,
  },
  operations: {
    sources: ['infra/operations/**/*.ts'],
    tests: ['test/unit/infra/operations/**/*.test.ts'],
    setup: engines,
    leastKilled: 50,
  },
  client: {
    sources: ['infra/reference/clients/typescript/pet-adoption-client.ts'],
    tests: ['test/unit/infra/reference/clients/{every-client,hostile,typescript-client}.test.ts'],
    setup: reference,
    leastKilled: 50,
    // The npm package has the version that it reads in the text of the client, so no text may be mutated.
    options: { mutator: { excludedMutations: ['StringLiteral'] } },
  },
  page: {
    sources: ['infra/reference/page/*.ts'],
    tests: ['test/unit/infra/reference/{code,guide,local-serving,looks,panels}.test.ts'],
    setup: reference,
    setupFiles: ['test/mutation/page-mutants.ts'],
    leastKilled: 50,
  },
  database: {
    sources: ['infra/local/database/*.ts'],
    tests: ['test/unit/infra/local/database.test.ts', 'test/unit/shared/{pets,idempotency,api-keys}/*.test.ts'],
    setup: engines,
    leastKilled: 50,
    // The database runs in a thread. Only the runner for commands switches mutants on there, by an environment
    // variable.
    options: {
      testRunner: 'command',
      commandRunner: {
        command:
          'node infra/launch.cjs node_modules/vitest/vitest.mjs run --bail 1 --config test/mutation/vitest.config.ts',
      },
    },
  },
} as const satisfies Readonly<Record<string, MutationTarget>>

export type TargetName = keyof typeof targets

export const targetNames = Object.keys(targets) as readonly TargetName[]

export const getTarget = (name: TargetName): MutationTarget => targets[name]
