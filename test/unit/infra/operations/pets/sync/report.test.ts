import { expect, it } from 'vitest'
import { createSyncReport } from '../../../../../../infra/operations/pets/sync/report.ts'

const reportOf = (sameSince: string | undefined) =>
  createSyncReport({
    source: 'oak-lane',
    mappedRows: { animals: new Map(), unknownRows: new Map() },
    changes: [],
    unknownRows: [],
    isDryRun: false,
    sameSince,
    today: '2026-11-26',
  })

it('a file that has had the same bytes on three UTC days is a warning', () => {
  expect(reportOf('2026-11-24')).toMatchObject({
    text: expect.stringMatching(/\nThe file has had the same bytes since 2026-11-24\.$/),
    exitCode: 0,
  })
  expect(reportOf('2026-11-25').json).toMatchObject({ warnings: [] })
  expect(reportOf(undefined).json).toMatchObject({ warnings: [] })
})
