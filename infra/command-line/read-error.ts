/** Describes why a file cannot be read, and what to change. */
export const describeReadError = (file: string, error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : error
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `${file} does not exist. Check the path, and whether the file has arrived.`
    case 'EISDIR':
      return `${file} is a folder. Name a file in it.`
    case 'EACCES':
    case 'EPERM':
      return `This user may not read ${file}. Change its permissions.`
    default:
      return `${file} cannot be read (${code}).`
  }
}
