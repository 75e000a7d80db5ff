import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDataFolder } from './data-folder.ts'

/** Where an environment keeps its files while it runs, and its data beyond that if it has a data folder. */
export interface Storage {
  readonly folder: string
  /** Where the database keeps its files; undefined for one in memory. */
  readonly databaseFolder: string | undefined
  release(): void
}

interface StorageOptions {
  readonly dataFolder: string | undefined
  readonly fresh: boolean
  readonly port: number
}

/** @throws UserError when the data folder cannot be had. */
export const openStorage = async ({ dataFolder, fresh, port }: StorageOptions): Promise<Storage> => {
  if (dataFolder !== undefined) {
    const { path, release } = await openDataFolder(dataFolder, { fresh, port })
    return { folder: path, databaseFolder: path, release }
  }
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-'))
  return { folder, databaseFolder: undefined, release: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Does something once in the life of a folder; if it fails half-way, again at the next start. */
export const onceInFolder = async (folder: string, name: string, task: () => Promise<void>): Promise<void> => {
  const marker = join(folder, name)
  if (existsSync(marker)) return
  await task()
  writeFileSync(marker, '')
}
