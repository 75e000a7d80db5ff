import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { createKeysCommand } from '../../../../../infra/commands/keys/keys-command.ts'
import { runCommandInProcess, runCommandWithoutOutput } from '../../../../fixtures/commands/commands.ts'
import { startNode } from '../../../../fixtures/machine/node-process.ts'
import { chooseBySize } from '../../../../fixtures/machine/size.ts'
import {
  type ChooseFault,
  type CommandRow,
  drawFaults,
  drawKill,
  expectTruth,
  type FaultWorld,
  openFaultWorld,
} from './faulty-commands.ts'
import { keyRows } from './key-rows.ts'

/** Number of commands that meet faults. */
const faultCount = chooseBySize(keyRows.length, 4 * keyRows.length, 400)

/** Number of commands that are killed. */
const killCount = chooseBySize(2, 8, 100)

// Math.random chooses each wait before a call is repeated: 0 is the shortest one.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

/** Opens a world for a command. */
const openWorldOf = async (row: CommandRow) => {
  const world = await openFaultWorld()
  return {
    world,
    words: [...(await row.prepare(world)), ...world.options],
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** Expects that the same command does its work once nothing fails any more. */
const expectRepeatable = async (world: FaultWorld, row: CommandRow, words: readonly string[]): Promise<void> => {
  await expectTruth(world, row, async () => {
    const ended = await runCommandInProcess(createKeysCommand(), words)
    expect(ended.exitCode, ended.errors).toBe(0)
    return ended
  })
}

/** @returns the number of calls that the command has made while they could fail */
const expectTruthDespiteFaults = async (
  row: CommandRow,
  chooseFault: ChooseFault,
  runCommandLine = runCommandInProcess,
): Promise<number> => {
  await using opened = await openWorldOf(row)
  const { world, words } = opened
  const countCalls = world.failCalls(chooseFault)
  await expectTruth(world, row, () => runCommandLine(createKeysCommand(), words))
  const calls = countCalls()
  await expectRepeatable(world, row, words)
  return calls
}

it.each(keyRows.map((row, index) => ({ name: row.name, row, index })))(
  '$name that meets faults or a full disk prints the truth, and can be repeated',
  { timeout: 60_000 + faultCount * 20_000 },
  async ({ row, index }) => {
    const runs = fc.oneof(
      { weight: 2, arbitrary: fc.constant(runCommandInProcess) },
      { weight: 1, arbitrary: fc.constant(runCommandWithoutOutput) },
    )
    const property = fc.asyncProperty(drawFaults(), runs, async (chooseFault, runCommandLine) => {
      await expectTruthDespiteFaults(row, chooseFault, runCommandLine)
    })
    // Each command meets other faults.
    const seed = Number(process.env['PET_SEED']) + index
    await fc.assert(property, { numRuns: Math.ceil(faultCount / keyRows.length), seed, endOnFailure: true })
  },
)

it('a command of keys that is killed leaves a true audit, and can be repeated', {
  timeout: 60_000 + killCount * 20_000,
}, async () => {
  const property = fc.asyncProperty(fc.constantFrom(...keyRows), drawKill(), async (row, kill) => {
    await using opened = await openWorldOf(row)
    const { world, words } = opened
    await expectTruth(world, row, async () => {
      const started = startNode(['infra/commands/run.ts', 'keys', ...words])
      world.killAtCall(started.child, kill)
      const exitCode = await started.ended
      return { output: started.output(), errors: started.errors(), exitCode }
    })
    await expectRepeatable(world, row, words)
  })
  await fc.assert(property, { numRuns: killCount, endOnFailure: true })
})

// `npm test` draws such faults above.
it.each(chooseBySize([], keyRows))('$name prints the truth if any one of its responses is lost', async (row) => {
  let calls = 1
  for (let lost = 1; lost <= calls; lost += 1) {
    calls = await expectTruthDespiteFaults(row, (call) => (call === lost ? 'response lost' : undefined))
  }
})
