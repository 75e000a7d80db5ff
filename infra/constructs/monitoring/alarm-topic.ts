import { Aws, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'

/**
 * Gets the notifications of alarms and of the budget. The topic needs a key of the environment, because CloudWatch may
 * not use the AWS managed key of SNS ("Encryption at rest" in the Amazon SNS Developer Guide).
 */
export class AlarmTopic extends Construct {
  readonly topic: Topic

  constructor(scope: Construct, id: string, { email }: { readonly email: string | undefined }) {
    super(scope, id)
    const byAlarms = {
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com'), new ServicePrincipal('budgets.amazonaws.com')],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }
    const key = new Key(this, 'Key', {
      description: 'Pet Adoption Service: the messages of alarms and of the budget',
      enableKeyRotation: true,
      // SNS keeps no message after delivery, so nothing is lost with the key.
      removalPolicy: RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(7),
    })
    key.addToResourcePolicy(
      new PolicyStatement({ ...byAlarms, actions: ['kms:Decrypt', 'kms:GenerateDataKey*'], resources: ['*'] }),
    )
    this.topic = new Topic(this, 'Topic', { masterKey: key, enforceSSL: true })
    this.topic.addToResourcePolicy(
      new PolicyStatement({ ...byAlarms, actions: ['sns:Publish'], resources: [this.topic.topicArn] }),
    )
    if (email === undefined) return
    const subscription = this.topic.addSubscription(new EmailSubscription(email))
    Validations.of(subscription).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'An alarm on a dead-letter queue would notify the same address, which did not get the message.',
    })
  }
}
