import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSeedTool } from '../../../../../infra/operations/seed/seed-tool.ts'
import { runToolInProcess } from '../../../../fixtures/commands.ts'
import { drawCommandFaults, type EndedCommand, openFaultyEnvironment } from '../../../../fixtures/faulty-environment.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'

/** Number of commands that meet faults. `PET_COMMAND_FAULTS=1000` tries more. */
const faultCount = Number(process.env['PET_COMMAND_FAULTS'] ?? chooseBySize(5, 100))

/** Number of commands that are killed. `PET_COMMAND_KILLS=100` kills more. */
const killCount = Number(process.env['PET_COMMAND_KILLS'] ?? chooseBySize(1, 20))

const seededCount = 5

/** Calls to DynamoDB that a command makes: one for each pet, and a scan before it removes them. */
const lastCall = 6

const write = ['--count', `${seededCount}`]
const remove = ['--remove']
const commands = fc.constantFrom(write, remove)

/** Creates an environment for a command. It has made-up pets if the command removes them. */
const openWorld = async (command: readonly string[]) => {
  const environment = await openFaultyEnvironment()
  const { colleague, options, readAuditLines } = environment
  if (command === remove) await runToolInProcess(createSeedTool(), [...write, ...options])

  const countPets = async (): Promise<number> => (await colleague.list()).length
  const earlierLines = command === remove ? await readAuditLines() : []
  return {
    ...environment,
    words: [...command, ...options],

    /** Counts the pets that the command has written or removed. */
    countDone: async (): Promise<number> => (command === remove ? seededCount - (await countPets()) : countPets()),

    /** Finds the last outcome of the command in the audit. */
    findOutcome: async (): Promise<string | undefined> =>
      (await readAuditLines()).slice(earlierLines.length).at(-1)?.outcome,
  }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** Expects that the exit code, the last line and the audit of a command say what it has done. */
const expectTruth = async (world: World, { output, errors, exitCode }: EndedCommand): Promise<void> => {
  world.endFaults()
  const doneCount = await world.countDone()
  const outcome = await world.findOutcome()

  if (doneCount > 0) expect(outcome, 'the audit has the change').toMatch(/begun|done|unknown/)
  if (outcome === 'done') expect(doneCount, 'the audit has the change as done').toBe(seededCount)
  if (exitCode === null) return

  if (exitCode === 0) {
    expect(doneCount, 'a command that succeeds has done all').toBe(seededCount)
    expect(output).toMatch(/^5 made-up pets (written|removed)\.\n$/)
    return
  }
  const lastLine = errors.trimEnd().split('\n').at(-1) ?? ''
  expect(lastLine).toMatch(/Known to be (written|removed): \d made-up pets?\. Run the same command again\.$/)
  const knownCount = Number(/: (\d) made-up/.exec(lastLine)?.[1])
  expect(knownCount, 'pets that are known to be done are').toBeLessThanOrEqual(doneCount)
}

it('npm run seed that meets faults, and its audit, say what it has done', {
  timeout: 60_000 + faultCount * 10_000,
}, async () => {
  const property = fc.asyncProperty(commands, drawCommandFaults(lastCall), async (command, faults) => {
    await using world = await openWorld(command)
    world.failCalls(faults)
    await expectTruth(world, await runToolInProcess(createSeedTool(), world.words))
  })
  await fc.assert(property, { numRuns: faultCount, endOnFailure: true })
})

it('the audit of npm run seed that is killed says what may have changed', {
  timeout: 60_000 + killCount * 20_000,
}, async () => {
  const conditions = fc.record({
    command: commands,
    /** Number of the call at which the command is killed. */
    killedAt: fc.integer({ min: 1, max: lastCall }),
    isLastCallMade: fc.boolean(),
  })
  const property = fc.asyncProperty(conditions, async ({ command, killedAt, isLastCallMade }) => {
    await using world = await openWorld(command)
    const started = startNode(['infra/operations/seed/seed.ts', ...world.words])
    world.killAtCall(started.child, { killedAt, isLastCallMade })
    const exitCode = await started.ended
    await expectTruth(world, { output: started.output(), errors: started.errors(), exitCode })
  })
  await fc.assert(property, { numRuns: killCount, endOnFailure: true })
})
