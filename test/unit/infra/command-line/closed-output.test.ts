import { beforeEach, describe, expect, it } from 'vitest'
import { createClients } from '../../../fixtures/clients.ts'
import { createColleague } from '../../../fixtures/colleague.ts'
import { registerLocalEnvironment } from '../../../fixtures/commands.ts'
import { startNode } from '../../../fixtures/node-process.ts'

describe('a command whose output nothing reads any more', () => {
  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
  beforeEach(async () => {
    environment = await registerLocalEnvironment()
  })

  /** Starts a command that has closed one of its streams, as if `head` had read enough. */
  const runWithClosed = async (stream: 'stdout' | 'stderr', tool: string, words: readonly string[]) => {
    const program = `infra/operations/${tool}/${tool}.ts`
    const { child, ended, terminal } = startNode([program, ...words, ...environment.options])
    child[stream].destroy()
    return { exitCode: await ended, printed: terminal() }
  }

  it('npm run keys -- --help ends quietly if nothing reads its output', async () => {
    expect(await runWithClosed('stdout', 'keys', ['--help'])).toEqual({ exitCode: 0, printed: '' })
  })

  it('npm run pets -- set succeeds if nothing reads its output, because it has changed the pet', async () => {
    const { client } = createClients(environment.engine)
    const colleague = createColleague(client, environment.tables.pets)
    await colleague.store({ id: 5n, name: 'Bella', categoryId: 1n, status: 'available' })

    const result = await runWithClosed('stdout', 'pets', ['set', '5', '--status', 'sold'])

    expect(result).toEqual({ exitCode: 0, printed: '' })
    expect(await colleague.list()).toMatchObject([{ id: 5n, status: 'sold' }])
  })

  it('a command goes on if nothing reads its messages', async () => {
    expect(await runWithClosed('stderr', 'keys', ['lost'])).toEqual({ exitCode: 2, printed: '' })
  })
})
