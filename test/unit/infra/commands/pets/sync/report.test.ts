import { expect, it } from 'vitest'
import { createSyncReport } from '../../../../../../infra/commands/pets/sync/report.ts'

const reportOf = (result: Partial<Parameters<typeof createSyncReport>[0]>) =>
  createSyncReport({
    source: 'oak-lane',
    mappedRows: { animals: new Map(), unknownRows: new Map() },
    changes: [],
    unknownRows: [],
    isDryRun: false,
    sameSince: undefined,
    today: '2026-11-26',
    ...result,
  })

it('a file that has had the same bytes on three UTC days is a warning', () => {
  expect(reportOf({ sameSince: '2026-11-24' })).toMatchObject({
    text: expect.stringMatching(/\nThe file has had the same bytes since 2026-11-24\.$/),
    exitCode: 0,
  })
  expect(reportOf({ sameSince: '2026-11-25' }).json).toMatchObject({ warnings: [] })
  expect(reportOf({}).json).toMatchObject({ warnings: [] })
})

it('an animal that cannot be understood asks for a look', () => {
  const unknownRows = [{ reference: 'N1', reason: 'its status "Lost" is not in the settings' }]

  expect(reportOf({ unknownRows })).toMatchObject({
    text: `oak-lane: 0 in file, 0 new, 0 changed, 0 gone, 0 hidden, 0 kept by hand, 1 unknown
N1 stays as it is: its status "Lost" is not in the settings.`,
    exitCode: 3,
  })
})
