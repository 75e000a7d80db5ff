import { readdirSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { importPets } from '../../../../../infra/operations/pets/import.ts'
import { readDrawTime } from '../../../../../shared/pets/pet-id.ts'
import { createMemoryAudit, type MemoryAudit } from '../../../../fixtures/audit.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { createImportingOperator, type ImportingOperator, newRows } from '../../../../fixtures/importing-operator.ts'

describeOnEachEngine('importPets', (engine) => {
  let operator: ImportingOperator

  beforeEach(async () => {
    operator = await createImportingOperator(engine)
  })

  describe('with a new pet whose id another pet gets at the same moment', () => {
    let takenId: string

    const createRacingClient = () =>
      operator.createClientActingOnce('PutItem', async ({ Item }) => {
        takenId = `${Object(Item).id}`
        const samePet = { name: 'New 0', categoryId: 1n, status: 'available' } as const
        await operator.service.pets.put({ ...samePet, id: BigInt(takenId) }, 'another attempt')
      })

    beforeEach(() => operator.writeRows(newRows(1)))

    it('an import gives the pet another id', async () => {
      const report = await operator.importFile({}, createRacingClient())

      expect(report.text).toBe(operator.addedReport('1 created.'))
      expect(await operator.listNames()).toEqual(['New 0', 'New 0'])
    })

    it('the audit says that the first id was not used', async () => {
      await operator.importFile({}, createRacingClient())

      expect(operator.audit.lines).toMatchObject([
        { ids: [takenId], outcome: 'begun' },
        { ids: [takenId], outcome: 'failed', reason: 'another pet has the id' },
        { outcome: 'begun' },
        { outcome: 'done' },
      ])
    })
  })

  it('a resumed import draws a new id for each pet that it adds, just before it writes the pet', async () => {
    operator.writeRows(newRows(150))
    await operator.importFile({}, operator.createFailingClient(120)).catch(() => undefined)
    const drawnIds = new Set(operator.audit.lines.flatMap(({ ids }) => ids))
    const storedIds = new Set((await operator.colleague.list()).map(({ id }) => id))
    const resumedAt = Date.now()

    await operator.importFile()

    const newIds = (await operator.colleague.list()).map(({ id }) => id).filter((id) => !storedIds.has(id))
    expect(newIds).toHaveLength(31)
    expect(drawnIds.size).toBe(150)
    for (const id of newIds) {
      expect(drawnIds).not.toContain(`${id}`)
      // The clock of the service has whole seconds.
      expect(readDrawTime(id)).toBeGreaterThan(resumedAt - 2_000)
    }
  })

  it('a pet gets another id if the import was suspended after it had drawn the first one', async () => {
    operator.writeRows(newRows(1))
    let suspendedMilliseconds = 0
    const audit: MemoryAudit = createMemoryAudit(() => {
      if (audit.lines.length === 0) suspendedMilliseconds = 3_600_000
    })

    const clock = () => Date.now() + suspendedMilliseconds
    await importPets(operator.createEnvironment(), audit, { file: operator.file }, clock)

    const [pet] = await operator.colleague.list()
    expect(readDrawTime(pet?.id ?? 0n)).toBeGreaterThan(Date.now() + 3_590_000)
    expect(audit.lines).toMatchObject([
      { outcome: 'begun' },
      { outcome: 'failed', reason: 'its id is too old' },
      { ids: [`${pet?.id}`], outcome: 'begun' },
      { ids: [`${pet?.id}`], outcome: 'done' },
    ])
  })

  describe('on a machine with a wrong clock', () => {
    const importWithClock = (milliseconds: number) =>
      importPets(operator.createEnvironment(), operator.audit, { file: operator.file }, () => Date.now() + milliseconds)

    it.each([-62_000, 62_000])(
      'an import that adds pets is rejected if the clock is %j ms off',
      async (milliseconds) => {
        operator.writeRows(newRows(1))

        await expect(importWithClock(milliseconds)).rejects.toThrow(
          /^The clock of this machine says .* Set the clock\.$/,
        )

        expect(await operator.colleague.list()).toEqual([])
        expect(readdirSync(operator.folder)).toEqual(['rows.jsonl'])
      },
    )

    it('ids follow the clock of the service', async () => {
      operator.writeRows(newRows(1))

      await importWithClock(-50_000)

      const [pet] = await operator.colleague.list()
      expect(readDrawTime(pet?.id ?? 0n)).toBeGreaterThan(Date.now() - 10_000)
    })
  })
})
