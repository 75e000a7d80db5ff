import { expect, it } from 'vitest'
import { createColleague } from '../../../fixtures/commands/colleague.ts'
import { registerLocalEnvironment } from '../../../fixtures/commands/registered-environment.ts'
import { createClients } from '../../../fixtures/database/clients.ts'
import { startNode } from '../../../fixtures/machine/node-process.ts'

/** Runs a command that has lost the reader of one of its streams, as if `head` had read enough. */
const runWithoutReader = async (stream: 'stdout' | 'stderr', command: string, words: readonly string[]) => {
  const { child, ended, terminal } = startNode(['infra/commands/run.ts', command, ...words])
  child[stream].destroy()
  return { exitCode: await ended, printed: terminal() }
}

it('npm run keys -- --help ends quietly if nothing reads its output', async () => {
  expect(await runWithoutReader('stdout', 'keys', ['--help'])).toEqual({ exitCode: 0, printed: '' })
})

it('npm run pets -- set succeeds if nothing reads its output, because it has changed the pet', async () => {
  const { engine, tables, options } = await registerLocalEnvironment()
  const { client } = createClients(engine)
  const colleague = createColleague(client, tables.pets)
  await colleague.store({ id: 5n, name: 'Bella', categoryId: 1n, status: 'available' })

  const result = await runWithoutReader('stdout', 'pets', ['set', '5', '--status', 'sold', ...options])

  expect(result).toEqual({ exitCode: 0, printed: '' })
  expect(await colleague.list()).toMatchObject([{ id: 5n, status: 'sold' }])
})

it('a command goes on if nothing reads its messages', async () => {
  expect(await runWithoutReader('stderr', 'keys', ['lost'])).toEqual({ exitCode: 2, printed: '' })
})
