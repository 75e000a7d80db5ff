/** Everybody who acts in a simulation. */
import type { History } from './history.ts'

/** Somebody who acts until the simulation ends. */
export interface Actor {
  readonly name: string
  /** Resolves when the actor has ended all that it does. */
  readonly ended: Promise<void>
}

/**
 * Waits for `drained`, even if all actors have ended before: meanwhile requests end for whose responses nobody waits.
 * Reports the actors that have not ended by then: a call or a command of theirs hangs.
 *
 * @throws the error of the first actor that fails
 */
export const waitForActors = async (
  history: History,
  actors: readonly Actor[],
  drained: Promise<void>,
): Promise<void> => {
  const hanging = new Set(actors.map(({ name }) => name))
  const ends = actors.map(async ({ name, ended }) => {
    await ended
    hanging.delete(name)
  })
  // The first promise only passes on the error of an actor.
  await Promise.race([Promise.all(ends).then(() => drained), drained])

  const [subject] = hanging
  if (subject === undefined) return
  history.report('every actor ends', subject, `${[...hanging].join(', ')} did not end`)
}
