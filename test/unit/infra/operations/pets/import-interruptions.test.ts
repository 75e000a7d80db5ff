import { readdirSync, writeFileSync } from 'node:fs'
import { PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { createInterceptingClient } from '../../../../fixtures/clients.ts'
import { interruptCommand } from '../../../../fixtures/commands.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import {
  appendRows,
  createImportingOperator,
  type ImportingOperator,
  newRow,
  newRows,
} from '../../../../fixtures/importing-operator.ts'
import { readJsonLines } from '../../../../fixtures/json-lines.ts'

describeOnEachEngine('importPets', (engine) => {
  let operator: ImportingOperator

  beforeEach(async () => {
    operator = await createImportingOperator(engine)
  })

  describe.each([
    { ending: 'a failure', created: 119, exitCode: 1 },
    { ending: 'an interruption', created: 100, exitCode: 130 },
  ])('after $ending of an import', ({ ending, created, exitCode }) => {
    let conflicting: Pet

    beforeEach(async () => {
      conflicting = await operator.addPetNamed('Conflicting')
      const [row = {}] = await operator.exportRows()
      operator.writeRows([{ ...row, name: 'Mine' }, ...newRows(300)])
      await operator.colleague.store({ ...conflicting, status: 'sold' })
    })

    const createEndingClient = () =>
      ending === 'a failure'
        ? operator.createFailingClient(120)
        : operator.createClientActingOnce('PutItem', async () => interruptCommand())

    it('the error says what was done, and to run the same command again', async () => {
      await expect(operator.importFile({}, createEndingClient())).rejects.toMatchObject({
        message: expect.stringMatching(
          `Known to be done: ${created} created, 1 conflict. To go on, run the same command again.$`,
        ),
        exitCode,
      })

      const [, ...newPets] = await operator.colleague.list()
      expect(newPets).toHaveLength(created)
    })

    it('the same command creates each remaining pet once', async () => {
      await operator.importFile({}, createEndingClient()).catch(() => undefined)

      const report = await operator.importFile()

      expect(report.text).toMatch(new RegExp(`^${300 - created} created, ${created} unchanged, 1 conflict\\.$`, 'm'))
      const names = new Set(await operator.listNames())
      expect(names).toEqual(new Set(['Conflicting', ...newRows(300).map(({ name }) => name)]))
      expect(await operator.colleague.list()).toHaveLength(301)
      expect(readJsonLines(operator.resultFile)).toHaveLength(300)
    })

    it('a dry run says what is left to do, and the same command then does it', async () => {
      await operator.importFile({}, createEndingClient()).catch(() => undefined)

      const report = await operator.dryRun()

      expect(report.json).toMatchObject({ created: 300 - created, unchanged: created, conflict: 1 })
      expect(await operator.importFile()).toMatchObject({ json: { created: 300 - created } })
    })

    it('the same command keeps what others have done to the new pets', async () => {
      await operator.importFile({}, createEndingClient()).catch(() => undefined)
      const [, changed, removed] = await operator.colleague.list()
      if (changed === undefined || removed === undefined) throw new Error('The import has created no pets.')
      await operator.colleague.store({ ...changed, status: 'sold' })
      await operator.colleague.remove(removed.id)

      await operator.importFile()

      const pets = await operator.colleague.list()
      expect(pets).toHaveLength(300)
      expect(pets).toContainEqual({ ...changed, status: 'sold' })
    })

    it('an import of rows that were changed meanwhile is rejected', async () => {
      await operator.importFile({}, createEndingClient()).catch(() => undefined)
      appendRows(operator.file, [newRow('Appended')])

      await expect(operator.importFile()).rejects.toThrow(
        `${operator.resultFile}.importing is the journal of an import of other rows`,
      )

      expect(await operator.colleague.list()).toHaveLength(created + 1)
    })
  })

  describe('with a write of a killed import that arrives late', () => {
    let lateInput: Readonly<Record<string, unknown>> | undefined

    const killAtFirstWrite = () =>
      createInterceptingClient(engine, 'PutItem', async (input) => {
        lateInput ??= input
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: {} })
      })

    beforeEach(async () => {
      lateInput = undefined
      operator.writeRows(newRows(1))
      await operator.importFile({}, killAtFirstWrite()).catch(() => undefined)
    })

    const sendLateWrite = () => operator.service.client.send(new PutCommand(lateInput as unknown as PutCommandInput))

    it('the same command gives the pet a new id, and the late write fails', async () => {
      await operator.importFile()

      await expect(sendLateWrite()).rejects.toThrow('conditional')
      expect(await operator.listNames()).toEqual(['New 0'])
    })

    it('the same command finds the pet that the late write has added before', async () => {
      await sendLateWrite()

      const report = await operator.importFile()

      expect(report.text).toBe(operator.addedReport('1 unchanged.'))
      expect(await operator.listNames()).toEqual(['New 0'])
    })
  })

  it('an import goes on where one was killed before its journal had anything', async () => {
    operator.writeRows(newRows(1))
    writeFileSync(`${operator.resultFile}.importing`, '')

    const report = await operator.importFile()

    expect(report.text).toBe(operator.addedReport('1 created.'))
    expect(readdirSync(operator.folder).toSorted()).toEqual(['rows.imported-local.jsonl', 'rows.jsonl'])
  })

  it('an import that is interrupted before its result file is written writes nothing', async () => {
    operator.writeRows(newRows(1))
    const client = operator.createClientActingOnce('BatchGetItem', async () => interruptCommand())

    await expect(operator.importFile({}, client)).rejects.toMatchObject({
      message: 'Interrupted. Nothing is written. Run the same command again.',
      exitCode: 130,
    })

    expect(await operator.colleague.list()).toEqual([])
    expect(operator.audit.lines).toEqual([])
    expect(readdirSync(operator.folder)).toEqual(['rows.jsonl'])
  })

  it('a dry run that is interrupted says that nothing is written', async () => {
    await operator.addPetNamed('Bella')
    const [row = {}] = await operator.exportRows()
    operator.writeRows([{ ...row, name: 'Max' }, newRow('New')])
    let lookups = 0
    const client = createInterceptingClient(engine, 'BatchGetItem', async () => {
      lookups += 1
      // The first one asks for the time.
      if (lookups === 2) interruptCommand()
    })

    await expect(operator.dryRun({}, client)).rejects.toMatchObject({
      message: 'Interrupted. Nothing is written. Run the same command again.',
      exitCode: 130,
    })
  })
})
