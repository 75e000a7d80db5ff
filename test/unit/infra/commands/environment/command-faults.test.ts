import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { runCommandInProcess, runCommandWithoutOutput } from '../../../../fixtures/commands/commands.ts'
import { startNode } from '../../../../fixtures/machine/node-process.ts'
import { chooseBySize } from '../../../../fixtures/machine/size.ts'
import {
  type ChooseFault,
  type CommandRow,
  createCommandOf,
  drawFaults,
  drawKill,
  expectTruth,
  type FaultWorld,
  openFaultWorld,
} from './faulty-commands.ts'
import { keyRows } from './key-rows.ts'
import { petRows } from './pet-rows.ts'

const rows: readonly CommandRow[] = [...keyRows, ...petRows]

/** Number of commands that meet faults. */
const faultCount = chooseBySize(rows.length, 4 * rows.length, 1_000)

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
    const ended = await runCommandInProcess(createCommandOf(row.name), words)
    expect(ended.exitCode, ended.errors).toBe(0)
    return ended
  })
  expect(await world.findContradictions()).toEqual([])
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
  await expectTruth(world, row, () => runCommandLine(createCommandOf(row.name), words))
  const calls = countCalls()
  await expectRepeatable(world, row, words)
  return calls
}

it.each(rows.map((row, index) => ({ name: row.name, row, index })))(
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
    await fc.assert(property, { numRuns: Math.ceil(faultCount / rows.length), seed, endOnFailure: true })
  },
)

it('a command that is killed leaves a true audit, and can be repeated', {
  timeout: 60_000 + killCount * 20_000,
}, async () => {
  const property = fc.asyncProperty(fc.constantFrom(...rows), drawKill(), async (row, kill) => {
    await using opened = await openWorldOf(row)
    const { world, words } = opened
    await expectTruth(world, row, async () => {
      const started = startNode(['infra/commands/run.ts', row.name.split(' ')[0] ?? '', ...words])
      world.killAtCall(started.child, kill)
      const exitCode = await started.ended
      return { output: started.output(), errors: started.errors(), exitCode }
    })
    await expectRepeatable(world, row, words)
  })
  await fc.assert(property, { numRuns: killCount, endOnFailure: true })
})

// `npm test` draws such faults above.
it.each(chooseBySize([], rows))('$name prints the truth if any one of its responses is lost', async (row) => {
  let calls = 1
  for (let lost = 1; lost <= calls; lost += 1) {
    calls = await expectTruthDespiteFaults(row, (call) => (call === lost ? 'response lost' : undefined))
  }
})
