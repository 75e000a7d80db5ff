import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const usualPlaces = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser that CHROMIUM_PATH names, or else the system's. @throws Error when CHROMIUM_PATH names none */
export const findChromium = (): string | undefined => {
  const { CHROMIUM_PATH: named, PATH = '' } = process.env
  if (named !== undefined) {
    if (!isExecutable(named)) throw new Error(`CHROMIUM_PATH names ${named}, which cannot be run.`)
    return named
  }
  const folders = PATH.split(delimiter)
  return [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...usualPlaces].find(isExecutable)
}

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
