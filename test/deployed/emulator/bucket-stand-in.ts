/**
 * Does on the emulator what CDK's two functions for buckets do on AWS, with the same properties: it uploads the files of a
 * `BucketDeployment`, and empties a bucket that is to be deleted. Those functions use the AWS CLI, boto3 and the AWS SDK's
 * client of S3. The emulator has none of them, so the functions themselves are not tested.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface CustomResourceEvent {
  readonly RequestType: 'Create' | 'Update' | 'Delete'
  readonly ResourceType: string
  readonly ResponseURL: string
  readonly StackId: string
  readonly RequestId: string
  readonly LogicalResourceId: string
  readonly PhysicalResourceId?: string
  readonly ResourceProperties: UploadProperties & { readonly BucketName: string }
}

interface UploadProperties {
  readonly SourceBucketNames: readonly string[]
  readonly SourceObjectKeys: readonly string[]
  readonly SourceMarkers?: readonly Readonly<Record<string, string>>[]
  readonly DestinationBucketName: string
  readonly SystemMetadata: Readonly<Record<string, string>>
}

export const handler = async (event: CustomResourceEvent): Promise<void> => {
  const { StackId, RequestId, LogicalResourceId, PhysicalResourceId = LogicalResourceId } = event
  const outcome = await carryOut(event).then(
    () => ({ Status: 'SUCCESS' }),
    (error: unknown) => ({ Status: 'FAILED', Reason: String(error) }),
  )
  await fetch(event.ResponseURL, {
    method: 'PUT',
    body: JSON.stringify({ ...outcome, StackId, RequestId, LogicalResourceId, PhysicalResourceId }),
  })
}

const carryOut = async ({ ResourceType, RequestType, ResourceProperties }: CustomResourceEvent): Promise<void> => {
  const isUpload = ResourceType === 'Custom::CDKBucketDeployment'
  if (isUpload && RequestType !== 'Delete') await upload(ResourceProperties)
  if (!isUpload && RequestType === 'Delete') await empty(ResourceProperties.BucketName)
}

const upload = async (properties: UploadProperties): Promise<void> => {
  const { SourceBucketNames, SourceObjectKeys, SourceMarkers = [], DestinationBucketName, SystemMetadata } = properties
  for (const [index, key] of SourceObjectKeys.entries()) {
    const archive = await storage('GET', `${SourceBucketNames[index]}/${key}`)
    const folder = mkdtempSync(join(tmpdir(), 'upload-'))
    const files = join(folder, 'files')
    writeFileSync(join(folder, 'archive.zip'), Buffer.from(await archive.arrayBuffer()))
    // The emulator is a program of Python.
    execFileSync('python3', ['-m', 'zipfile', '-e', join(folder, 'archive.zip'), files])
    for (const path of readdirSync(files, { recursive: true, encoding: 'utf8' })) {
      if (!statSync(join(files, path)).isFile()) continue
      const body = replaceMarkers(readFileSync(join(files, path)), SourceMarkers[index] ?? {})
      await storage('PUT', `${DestinationBucketName}/${path}`, { headers: SystemMetadata, body })
    }
    rmSync(folder, { recursive: true })
  }
}

const replaceMarkers = (content: Buffer, markers: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> => {
  // Latin-1 keeps every byte as it is, in files that are no text too.
  let text = content.toString('latin1')
  for (const [marker, value] of Object.entries(markers)) text = text.replaceAll(marker, () => value)
  return Uint8Array.from(Buffer.from(text, 'latin1'))
}

const empty = async (bucket: string): Promise<void> => {
  const list = await (await storage('GET', `${bucket}?list-type=2`)).text()
  for (const [, key = ''] of list.matchAll(/<Key>([^<]+)<\/Key>/g)) await storage('DELETE', `${bucket}/${key}`)
}

/** S3 of the emulator, which asks for no signature. */
const storage = async (method: string, path: string, rest: RequestInit = {}): Promise<Response> => {
  const response = await fetch(`${process.env['AWS_ENDPOINT_URL']}/${path}`, { method, ...rest })
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
  return response
}
