import { findFaultMinutes } from './schedule.ts'
import type { SimulationCase } from './simulation-case.ts'

/**
 * Shortens a case that breaks an invariant: halves its length, leaves out actors and faults, and halves the time in
 * which faults occur, as long as the invariant is still broken.
 *
 * The result is not always the shortest case. Without an actor other random numbers are drawn, so an invariant can hold
 * by chance in a shorter one.
 *
 * @param isBroken simulates a case, and returns whether it breaks the invariant
 */
export const shorten = async (
  found: SimulationCase,
  isBroken: (shorter: SimulationCase) => Promise<boolean>,
): Promise<SimulationCase> => {
  const shorterCase = await shortenHours(found, isBroken)
  const fewerActors = await leaveOutActors(shorterCase, isBroken)
  const fewerFaults = await leaveOutFaults(fewerActors, isBroken)
  return fewerFaults.faults.length === 0 ? fewerFaults : shortenFaultMinutes(fewerFaults, isBroken)
}

type Shorten = typeof shorten

const shortenHours: Shorten = async (found, isBroken) => {
  let shortest = found
  while (shortest.hours > 1) {
    const hours = Math.floor(shortest.hours / 2)
    const shorter = { ...shortest, hours, faultMinutes: findFaultMinutes(hours * 60) }
    if (!(await isBroken(shorter))) break
    shortest = shorter
  }
  return shortest
}

const leaveOutActors: Shorten = async (found, isBroken) => {
  let shortest = found
  for (const actor of found.actors) {
    const actors = shortest.actors.filter((name) => name !== actor)
    const shorter = { ...shortest, actors }
    if (actors.length > 0 && (await isBroken(shorter))) shortest = shorter
  }
  return shortest
}

const leaveOutFaults: Shorten = async (found, isBroken) => {
  let shortest = found
  for (const fault of found.faults) {
    const shorter = { ...shortest, faults: shortest.faults.filter((name) => name !== fault) }
    if (await isBroken(shorter)) shortest = shorter
  }
  return shortest
}

const shortenFaultMinutes: Shorten = async (found, isBroken) => {
  const { from, until } = found.faultMinutes
  if (until - from <= 1) return found

  const middle = Math.floor((from + until) / 2)
  const secondHalf = { ...found, faultMinutes: { from: middle, until } }
  if (await isBroken(secondHalf)) return shortenFaultMinutes(secondHalf, isBroken)
  const firstHalf = { ...found, faultMinutes: { from, until: middle } }
  if (await isBroken(firstHalf)) return shortenFaultMinutes(firstHalf, isBroken)
  return found
}
