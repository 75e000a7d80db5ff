/** The release of the present sources, during which the functions of the last release serve requests beside them. */
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { repositoryRoot } from '../../infra/bundling/function-bundle.ts'
import { hasRelease, releaseCommit, writeReleasedSources } from '../fixtures/released-sources.ts'
import { type FunctionCode, loadFunctions } from './function-code.ts'
import type { Random } from './random.ts'

/** The version whose functions serve a request. */
export type Version = 'released' | 'current'

/** The share of requests that a canary sends to the new version, and for how long (CodeDeploy). */
const canaryShare = 0.1
const canaryMilliseconds = 5 * 60_000

/** CloudFormation changes the authorizer after the operations. */
const authorizerDelayMilliseconds = 60_000

/** Functions of a release. */
export interface ReleasedFunctions {
  readonly commit: string
  readonly code: FunctionCode
}

/** Loads the functions of the last release; undefined if git does not have it. */
export const loadReleasedFunctions = async (): Promise<ReleasedFunctions | undefined> => {
  if (!hasRelease()) return undefined
  const folder = writeReleasedSources()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'))
  return { commit: releaseCommit, code: await loadFunctions(pathToFileURL(`${folder}/`)) }
}

/** The longest time for which an invocation of a function of the last release can be under way. */
const inFlightMilliseconds = 60_000

/** A release that begins at a time: a canary, then all operations, and last the authorizer. */
export class Release {
  readonly #begin: number
  readonly #random: Random

  constructor(begin: number, random: Random) {
    this.#begin = begin
    this.#random = random
  }

  /** Whether only the present sources respond. */
  hasEnded(now: number): boolean {
    return now >= this.#begin + canaryMilliseconds + authorizerDelayMilliseconds + inFlightMilliseconds
  }

  /** Chooses the version of a function for the next request. */
  chooseVersion(name: string, now: number): Version {
    const canaryEnd = this.#begin + canaryMilliseconds
    if (name === 'authorizer') return now < canaryEnd + authorizerDelayMilliseconds ? 'released' : 'current'
    if (now >= canaryEnd) return 'current'
    const isInCanary = now >= this.#begin && this.#random.chance(canaryShare)
    return isInCanary ? 'current' : 'released'
  }
}
