import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Pet } from '../../../../shared/pets/pet.ts'
import { openShell, readShellBlocks, readStepCommands } from '../../../fixtures/commands/documented-commands.ts'
import { formatFile, settingsText } from '../../../fixtures/commands/nightly-file.ts'
import { openPetCommands } from '../../../fixtures/commands/pet-commands.ts'
import { hasCurl } from '../../../fixtures/machine/programs.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

const guide = 'infra/commands/README.md'

describe.skipIf(!hasCurl())('the commands of the guide', () => {
  it('the commands of each section work, in the order of the guide', async () => {
    const { dataFolder } = await openPetCommands()
    const { run } = await openShell(dataFolder)

    const outputs = await run(readShellBlocks(guide))

    // Each output is that of all commands in a section. Its expression has a few words of the reports, in their order.
    const [newShelter, night, correction, wrongFile, leaving, sheet, key, audit, restore] = outputs
    expect(newShelter).toMatch(/\b1 added.*Nothing is changed.*\b1 added/s)
    expect(night).toMatch(/\b0 added.*\b1 unchanged.*elm-street\.csv/s)
    expect(correction).toMatch(/to sold.*1 removed\..*1 returned\..*1 returned\..*1 changed\..*2 unchanged\.\n/s)
    expect(wrongFile).toMatch(/\b1 added.*1 changed, 1 removed\..*1 changed, 1 removed\..*\b0 changed.*\b0 differ/s)
    expect(leaving).toMatch(/\b1 gone/)
    expect(sheet).toMatch(/board-\d{4}-\d\d-\d\d\.csv has 1 pet\./)
    expect(key).toMatch(/City shelter.*\npet_test_[0-9A-Za-z]{38}\n/s)
    expect(audit).toMatch(/pets add.*pets remove.*pets undo/s)
    expect(restore).toMatch(/\n3 unchanged\.\n/)
  })

  it('nightly.sh says what is wrong with each shelter, and ends with the worst exit code', async () => {
    const pets = await openPetCommands()
    const { run } = await openShell(pets.dataFolder)
    mkdirSync(pets.pathOf('sources'))
    mkdirSync(pets.pathOf('uploads'))
    pets.writeText('sources/elm-street.yaml', settingsText)
    const settings = pets.writeText('sources/mill-pond.yaml', settingsText)
    // elm-street has no file, mill-pond one that is four days old, and the name of oak-lane's settings is mistyped.
    pets.writeText('sources/oak-lane.yml', settingsText)
    const file = pets.writeText('uploads/mill-pond.csv', formatFile({ M1: 'Max' }))
    await pets.run('sync', file, '--source', settings, '--accept-changes')
    pets.writeText('uploads/mill-pond.csv', formatFile({ M1: 'Max', M2: 'Rex' }))
    const fourDaysAgo = Date.now() / 1_000 - 4 * 86_400
    utimesSync(file, fourDaysAgo, fourDaysAgo)
    symlinkSync(resolve('infra/commands/nightly.sh'), pets.pathOf('nightly.sh'))

    const [report] = await run(
      [`bash ${pets.pathOf('nightly.sh')} ${pets.dataFolder} local 2>&1 || echo "exit code $?"`],
      '/',
    )

    expect(report).toMatch(
      /^elm-street: .*elm-street\.csv does not exist\..*\nmill-pond: .*mill-pond\.csv is more than three days old\.\n.*oak-lane\.yml must have the name of its source and end in \.yaml.*\nexit code 4\n$/s,
    )
    expect((await pets.callers.listPets()).map(({ name }) => name)).toEqual(['Max', 'Rex'])
  })

  it('nightly.sh without its folder says what to name', async () => {
    const { run } = await openShell(createTemporaryFolder())

    const [report] = await run(['bash infra/commands/nightly.sh /nowhere 2>&1 || echo "exit code $?"'])

    expect(report).toMatch(/^Name the folder that has sources\/ and uploads\/: .*\nexit code 2\n$/)
  })

  it('the commands for a restore bring back only the pets that were changed or removed by mistake', async () => {
    const pets = await openPetCommands()
    const { run } = await openShell(pets.dataFolder)
    pets.writeText('package.json', '{}')
    // An export takes the place of the restored copy of the table, as the guide says.
    const [exportNow = '', exportCopy = '', cutCopy = '', dryRun = '', restore = ''] = readStepCommands(
      'infra/README.md',
      'Restore a table',
    ).map((command) => command.replace(/ --table \S+| --confirm production/g, '').replace('production', 'local'))
    const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
    const milo: Pet = { id: 6n, name: 'Milo', categoryId: 1n, status: 'available' }
    const luna: Pet = { id: 7n, name: 'Luna', categoryId: 1n, status: 'available' }
    for (const pet of [bella, milo, luna]) await pets.callers.addPet(pet)
    await run([exportCopy], pets.dataFolder)
    await pets.run('set', '5', '--name', 'Wrong')
    await pets.run('remove', '6')
    // This change is no mistake.
    await pets.run('set', '7', '--name', 'Right')
    writeFileSync(join(pets.dataFolder, 'damaged-ids.txt'), '5\n6\n')

    const [, , dryRunReport, report] = await run([exportNow, cutCopy, dryRun, restore], pets.dataFolder)

    expect(dryRunReport).toMatch(/^Nothing is changed.*(?<!\d)1 returned, 1 changed\./s)
    expect(report).toMatch(/(?<!\d)1 returned, 1 changed\./)
    expect(await pets.callers.listPets()).toEqual([bella, milo, { ...luna, name: 'Right' }])
  })
})
