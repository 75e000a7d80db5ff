import { runNode } from '../fixtures/node-process.ts'
import type { SimulationResult } from './simulation.ts'

/**
 * Simulates in a process of its own, because a simulation replaces the clocks of its process.
 *
 * @param options those of `npm run simulate`
 * @throws Error if the process prints an error
 */
export const simulateInProcess = async (...options: string[]) => {
  const { output, errors, exitCode } = await runNode(['test/simulation/simulate.ts', '--json', ...options])
  if (errors !== '') throw new Error(errors)
  const result: SimulationResult = JSON.parse(output)
  return { result, exitCode }
}
